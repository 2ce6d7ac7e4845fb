"""Texts as vectors of their meaning: the extra `memcli[semantic]`. The only importer of the model.

One small interface, so that another model is another `load`: texts in, vectors of length 1 out. The model is the one
that its package ships; nothing is downloaded.
"""

from collections.abc import Callable, Sequence

Embed = Callable[[Sequence[str]], list[list[float]]]


def load() -> Embed | None:
    """What turns texts into vectors; None without the extra. Costs half a second."""
    import os

    try:
        import wordllama
    except ImportError:
        return None
    package = os.path.dirname(wordllama.__file__)  # weights and tokenizer lie there, where it would not look by itself
    model = wordllama.WordLlama.load(cache_dir=package, disable_download=True)
    return lambda texts: [vector.tolist() for vector in model.embed(list(texts), norm=True)]
