// Package interval compares half-open intervals of integers.
package interval

// Interval is the range of all points p with Start <= p < End. It is empty if End <= Start.
type Interval struct {
	Start int64
	End   int64
}

// Empty reports whether the interval contains no point.
func (i Interval) Empty() bool {
	return i.End <= i.Start
}

// Overlaps reports whether there is a point that both intervals contain.
func Overlaps(a, b Interval) bool {
	_, found := Intersection(a, b)
	return found
}

// Intersection returns the points that both intervals contain, and whether there are any.
func Intersection(a, b Interval) (Interval, bool) {
	common := Interval{Start: max(a.Start, b.Start), End: min(a.End, b.End)}
	if common.Empty() {
		return Interval{}, false
	}
	return common, true
}

// Conflicts returns the indexes of the booked intervals that overlap the wanted one, in ascending order.
func Conflicts(booked []Interval, wanted Interval) []int {
	var found []int
	for index, one := range booked {
		if Overlaps(one, wanted) {
			found = append(found, index)
		}
	}
	return found
}
