"""Text as recall sees it: words, stems, synonyms, scope names, document frequencies, BM25."""
