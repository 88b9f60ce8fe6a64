"""English text cut into sentences and words, and its first word's part of speech, as NLTK finds them."""
