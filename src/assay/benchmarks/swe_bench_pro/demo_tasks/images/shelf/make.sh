# A repository with four commits: each of the later three solves one instance, with its tests.
set -e
export GIT_AUTHOR_DATE="2025-01-01T00:00:00Z" GIT_COMMITTER_DATE="2025-01-01T00:00:00Z"
git init -q -b main /app
cd /app
git config user.name Somebody
git config user.email somebody@example.org
mkdir tests
cat > shelf.py <<'EOF'
"""Prices of the things on a shelf."""


def total(prices):
    """The sum of prices in euros, as a text with two digits for the cents."""
    return f"{sum(float(price) for price in prices):.2f}"


def cheapest(things):
    """The name of the cheapest thing, from pairs of a name and a price."""
    best = None
    for name, price in things:
        if best is None or price <= best[1]:
            best = name, price
    return best[0]
EOF
cat > tests/__init__.py </dev/null
cat > tests/test_total.py <<'EOF'
import unittest

from shelf import total


class TotalTest(unittest.TestCase):
    def test_sum(self):
        self.assertEqual(total(["1.10", "2.20"]), "3.30")

    def test_nothing(self):
        self.assertEqual(total([]), "0.00")
EOF
cat > tests/test_cheapest.py <<'EOF'
import unittest

from shelf import cheapest


class CheapestTest(unittest.TestCase):
    def test_lower_price(self):
        self.assertEqual(cheapest([("pen", 2), ("ink", 1), ("pad", 3)]), "ink")
EOF
git add .
git commit -q -m "Add prices of a shelf"
git tag base-1

sed -i 's|    return f"{sum(float(price) for price in prices):.2f}"|    exact = sum((Decimal(price) for price in prices), Decimal(0))\n    return str(exact.quantize(Decimal("0.01"), rounding=ROUND_HALF_UP))|' shelf.py
sed -i '2i\\nfrom decimal import ROUND_HALF_UP, Decimal' shelf.py
cat >> tests/test_total.py <<'EOF'

    def test_half_a_cent_is_rounded_up(self):
        self.assertEqual(total(["1.005"]), "1.01")

    def test_large_sums_are_exact(self):
        self.assertEqual(total(["9007199254740993", "0.01"]), "9007199254740993.01")
EOF
git add .
git commit -q -m "Compute totals with decimals"
git tag base-2

sed -i 's/price <= best\[1\]/price < best[1]/; s/    return best\[0\]/    if best is None:\n        raise ValueError("nothing is on the shelf")\n    return best[0]/' shelf.py
cat >> tests/test_cheapest.py <<'EOF'

    def test_first_of_equals(self):
        self.assertEqual(cheapest([("pen", 1), ("ink", 1)]), "pen")

    def test_empty_shelf(self):
        with self.assertRaises(ValueError):
            cheapest([])
EOF
git add .
git commit -q -m "Name the first of equally cheap things"
git tag base-3

cat > labels.py <<'EOF'
"""Labels for the things on a shelf."""


def label(name, price, width=20):
    """The name and the price in one line of at least this width; a long name is cut with a full stop."""
    room = width - len(price) - 1
    short = name if len(name) <= room else f"{name[: room - 1]}."
    return f"{short.ljust(room)} {price}"
EOF
cat > tests/test_labels.py <<'EOF'
import unittest

from labels import label


class LabelTest(unittest.TestCase):
    def test_short_name(self):
        self.assertEqual(label("pen", "1.10", 12), "pen     1.10")

    def test_long_name(self):
        self.assertEqual(label("fountain pen", "1.10", 12), "founta. 1.10")

    def test_default_width(self):
        self.assertEqual(len(label("pen", "1.10")), 20)
EOF
git add .
git commit -q -m "Add labels"
git tag solved-3
git checkout -q base-1
