"""A blog made for tests: twelve posts by three authors over six years, each with one place to eat in Oaxaca."""

from __future__ import annotations

from pathlib import Path

PLACES = (
    ("memelas", "Doña Vale", "memelas with salsa of chile pasilla at the Central de Abasto market"),
    ("tlayudas", "Libres", "tlayudas folded over charcoal until two in the morning on Calle Libres"),
    ("ice", "La Soledad", "ice of burnt milk and prickly pear on the square before La Soledad"),
    ("mole", "Las Quince Letras", "seven kinds of mole in a courtyard on Abasolo street"),
    ("bread", "Boulenc", "sourdough bread and shakshuka behind a narrow door on Porfirio Díaz"),
    ("coffee", "Brújula", "coffee from the Sierra Norte, roasted in the back of the house"),
    ("mezcal", "In Situ", "forty kinds of mezcal poured by a man who wrote a book on agave"),
    ("soup", "La Popular", "soup of squash blossoms and corn served in a bowl of clay"),
    ("barbacoa", "Tlacolula", "barbacoa of goat in the Sunday market of Tlacolula, before noon"),
    ("chocolate", "Mayordomo", "chocolate with water and egg bread in the mill by the market"),
    ("grasshoppers", "Benito Juárez", "grasshoppers toasted with garlic and lime in the Benito Juárez market"),
    ("tamales", "La Merced", "tamales in banana leaf from a woman at the door of La Merced"),
)
AUTHORS = ("Julia Evans", "Ana Núñez", "Ben Okri")


def write_blog(folder: Path) -> Path:
    """Write the blog; post ``n`` is of the year 2015 + n // 2, the odd ones by their file's name only."""
    for number, (dish, place, words) in enumerate(PLACES):
        date = f"{2015 + number // 2}-0{1 + number % 9}-1{number % 10}"
        said = f"date: {date}\n" if number % 2 == 0 else ""
        name = f"{dish}.md" if said else f"{date}-{dish}.md"
        lines = [
            f"---\ntitle: A day with {dish}\nauthor: {AUTHORS[number % 3]}\n{said}---\n",
            f"The bus was late and it rained on the way to {place}, so I read a novel.\n",
            f"## Where to eat\n\nWhere to eat in Oaxaca: at {place} I had {words}. Go there hungry.\n",
            "## Getting there\n\nWalk from the square, or take a shared taxi from the north.\n",
        ]
        path = folder / "posts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(lines), encoding="utf-8")
    (folder / "about.md").write_text("# About\n\nThis blog is about Oaxaca and its food.\n", encoding="utf-8")
    return folder
