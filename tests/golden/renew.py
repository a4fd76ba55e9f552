"""Writes the golden of mistakes: ``python -m tests.golden.renew``."""

from concurrent.futures import ProcessPoolExecutor

from tests.golden.evening import GOLDEN, document, evening, told
from tests.golden.mistakes import MISTAKES

if __name__ == "__main__":
    mistakes = [mistake for listed in MISTAKES.values() for mistake in listed]
    with evening() as place, ProcessPoolExecutor(2) as pool:
        texts = pool.map(told, mistakes, [place] * len(mistakes))
        GOLDEN.write_text(document(dict(zip([mistake.title for mistake in mistakes], texts, strict=True))))
