package main

import (
	"errors"
	"io"
	"strings"

	"task/wordcount"
)

var errBroken = errors.New("connection lost")

// pieces returns its text in reads of at most size bytes, and then an error.
type pieces struct {
	text string
	size int
	end  error
}

func (p *pieces) Read(buffer []byte) (int, error) {
	if p.text == "" {
		return 0, p.end
	}
	count := copy(buffer, p.text[:min(p.size, len(p.text))])
	p.text = p.text[count:]
	return count, nil
}

func count(o *Observer, text string) {
	counts, err := wordcount.Count(strings.NewReader(text))
	if err != nil {
		o.Value("unexpected error")
		return
	}
	o.Value(counts)
}

func TestCaseAndSeparators(o *Observer) {
	count(o, "Tide in, tide OUT; the TIDE_table (out of date)\tsays:\n3 tides/day\u0007tide")
	count(o, "a+b=c a&b 50% x…y «Out» \"out\"")
}

func TestScripts(o *Observer) {
	count(o, "Ärger ÄRGER ärger; ΟΔΟΣ οδοσ, Ёж ёж. 東京 東京、大阪")
	count(o, "straße STRASSE ١٢٣ 1²3 Ⅳ")
}

func TestJoinersInside(o *Observer) {
	count(o, "Mother-in-law's mother-in-law don't DON'T l'été 24-7 x-1")
}

func TestTypographicJoiners(o *Observer) {
	count(o, "don’t don't re‐use re-use RE‐USE ‘tis’ o’clock")
	count(o, "left–right left—right left−right left‑right rock`n`roll")
}

func TestJoinersOutside(o *Observer) {
	count(o, "'quoted' -flag --long dogs' end- 'n' - ' -- '' --'")
	count(o, "well--known it''s rock-'n'-roll a-'b c'-d e- f -g")
	count(o, "last-")
	count(o, "x-")
}

func TestMarks(o *Observer) {
	count(o, "e\u0301te\u0301 E\u0301TE\u0301 \u00e9t\u00e9 \u0301a b\u0301-c d-\u0301e 1\u20e3")
}

func TestInvalidBytes(o *Observer) {
	count(o, "caf\xe9 caf\xe9s a\xffb \xf0\x9f\x98 ok a\ufffdb\xc3")
}

func TestEmpty(o *Observer) {
	for _, text := range []string{"", " \n\t", "-'-", "one"} {
		counts, err := wordcount.Count(strings.NewReader(text))
		o.Value([]any{counts == nil, len(counts), err == nil})
		o.Value(counts)
	}
}

func TestPieces(o *Observer) {
	const text = "Żółw’s żółw‐like ŻÓŁW 漢字-x’y 漢字"
	for _, size := range []int{1, 2, 3, 5} {
		counts, err := wordcount.Count(&pieces{text: text, size: size, end: io.EOF})
		o.Value(counts)
		o.Error(err)
	}
}

func TestLongWords(o *Observer) {
	long := strings.Repeat("ab-", 100_000) + "c"
	counts, err := wordcount.Count(strings.NewReader(long + " d " + strings.ToUpper(long)))
	o.Error(err)
	for _, entry := range wordcount.Top(counts, 5) {
		o.Value([]any{len(entry.Word), entry.Word[:min(5, len(entry.Word))], entry.Count})
	}
	line := strings.Repeat("to and fro ", 30_000)
	counts, err = wordcount.Count(strings.NewReader(line))
	o.Error(err)
	o.Value(counts)
}

func TestReadError(o *Observer) {
	counts, err := wordcount.Count(&pieces{text: "half a wor", size: 4, end: errBroken})
	o.Value([]any{counts == nil, len(counts), errors.Is(err, errBroken)})
	counts, err = wordcount.Count(&pieces{text: "all of it, all", size: 4, end: io.EOF})
	o.Value([]any{counts, errors.Is(err, errBroken)})
}

func TestTop(o *Observer) {
	counts := map[string]int{"b": 3, "a": 3, "é": 3, "z": 9, "it's": 1, "it": 1, "i": 12, "Z": 3}
	o.Value(wordcount.Top(counts, 3))
	o.Value(wordcount.Top(counts, 6))
	for _, n := range []int{-1, 0, 1, 8, 100} {
		o.Value(len(wordcount.Top(counts, n)))
	}
	o.Value(len(wordcount.Top(nil, 4)))
	o.Value(counts)
	o.Value(wordcount.Top(counts, 100)[6:])
}

func TestTies(o *Observer) {
	text := "pear fig kiwi lime plum date nut oat rye yam leek kale corn pea bean dill mint sage basil thyme"
	counts, err := wordcount.Count(strings.NewReader(strings.Repeat(text+" ", 3) + "yam oat Yam OAT thyme"))
	o.Error(err)
	words := []string{}
	for _, entry := range wordcount.Top(counts, 19) {
		words = append(words, entry.Word)
	}
	o.Value(strings.Join(words, " "))
}
