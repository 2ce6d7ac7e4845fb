#!/bin/sh
# Makes the `after` files from those in before/: sh make.sh, with the formatters that README.md names on the PATH.
cd "$(dirname "$0")" || exit 2
run() { # run FORMATTER FILE COMMAND…: the command reads the file in a scratch folder and formats it in place or to stdout
    formatter=$1 file=$2
    shift 2
    scratch=$(mktemp -d)
    cp "before/$file.before" "$scratch/$file"
    (cd "$scratch" && "$@" "$file" >stdout 2>stderr) || echo "$formatter $file: $(cat "$scratch/stderr")" >&2
    [ -s "$scratch/stdout" ] && [ "$formatter" != isort ] && [ "$formatter" != sqlfluff ] && cp "$scratch/stdout" "$scratch/$file"
    mkdir -p "$formatter"
    cp "$scratch/$file" "$formatter/$file.after"
    rm -r "$scratch"
}
run black service.py black -q
run black-short service.py black -q -l 60 -C
run ruff service.py ruff format -q --isolated
run yapf service.py yapf
run isort imports.py isort -q --profile black
for file in app.js types.ts page.html App.vue style.scss data.json config.yaml README.md types.xml page.php; do
    case $file in
    *.xml) run prettier $file prettier --plugin @prettier/plugin-xml ;;
    *.php) run prettier $file prettier --plugin @prettier/plugin-php ;;
    *) run prettier $file prettier ;;
    esac
done
run prettier-single app.js prettier --single-quote --no-semi --arrow-parens avoid --print-width 60 --trailing-comma none
run prettier-single types.ts prettier --single-quote --no-semi --use-tabs
run prettier-wrap README.md prettier --prose-wrap always --print-width 30
run mdformat README.md mdformat
run gofmt main.go gofmt
run rustfmt lib.rs rustfmt --edition 2021
run clang-format tool.cpp clang-format --style=LLVM
run clang-format-google tool.cpp clang-format --style=Google
run clang-format-mozilla tool.cpp clang-format --style=Mozilla
run google-java-format Main.java google-java-format
run shfmt deploy.sh shfmt -i 2
run shfmt-tabs deploy.sh shfmt -ci -bn -sr
run sqlfluff query.sql sqlfluff fix -q --dialect ansi --rules layout,capitalisation
