"""Write every file anew; without a change of this folder they stay as they are."""

from scripts.janus_items import files

for name, text in files.all_files().items():
    (files.DATA / name).write_text(text, encoding="utf-8")
