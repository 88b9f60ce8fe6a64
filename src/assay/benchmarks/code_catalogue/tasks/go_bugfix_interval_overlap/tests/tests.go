package main

import (
	"math"

	"task/interval"
)

type pair struct {
	a, b interval.Interval
}

func of(start, end int64) interval.Interval {
	return interval.Interval{Start: start, End: end}
}

// overlapping lists the numbers of the pairs that overlap, first as they are, then with exchanged arguments.
func overlapping(pairs []pair) [][]int {
	forwards, backwards := []int{}, []int{}
	for number, one := range pairs {
		if interval.Overlaps(one.a, one.b) {
			forwards = append(forwards, number)
		}
		if interval.Overlaps(one.b, one.a) {
			backwards = append(backwards, number)
		}
	}
	return [][]int{forwards, backwards}
}

func conflicts(booked []interval.Interval, wanted interval.Interval) []int {
	return append([]int{}, interval.Conflicts(booked, wanted)...)
}

func TestTouching(o *Observer) {
	o.Value(overlapping([]pair{
		{of(540, 600), of(600, 660)},
		{of(540, 601), of(600, 660)},
		{of(-5, 0), of(0, 5)},
		{of(-5, 1), of(0, 5)},
		{of(7, 8), of(8, 9)},
		{of(7, 9), of(8, 9)},
	}))
}

func TestApart(o *Observer) {
	o.Value(overlapping([]pair{
		{of(1, 2), of(3, 4)},
		{of(-9, -7), of(7, 9)},
		{of(3, 9), of(8, 20)},
		{of(10, 20), of(21, 22)},
		{of(10, 22), of(21, 22)},
	}))
}

func TestSurrounding(o *Observer) {
	o.Value(overlapping([]pair{
		{of(0, 1440), of(720, 780)},
		{of(0, 1440), of(0, 1)},
		{of(0, 1440), of(1439, 1440)},
		{of(0, 1440), of(1440, 1441)},
		{of(-3, 3), of(-3, 3)},
	}))
}

func TestEmpty(o *Observer) {
	o.Value(overlapping([]pair{
		{of(5, 5), of(0, 10)},
		{of(5, 5), of(5, 5)},
		{of(5, 6), of(5, 6)},
		{of(5, 5), of(5, 6)},
		{of(0, 0), of(-1, 1)},
	}))
}

func TestReversed(o *Observer) {
	o.Value(overlapping([]pair{
		{of(8, 3), of(0, 10)},
		{of(8, 3), of(4, 5)},
		{of(8, 3), of(8, 3)},
		{of(3, 8), of(4, 5)},
		{of(10, 0), of(9, 1)},
	}))
}

func TestIntersection(o *Observer) {
	for _, one := range []pair{
		{of(540, 660), of(600, 720)},
		{of(600, 720), of(540, 660)},
		{of(0, 1440), of(720, 780)},
		{of(-30, -10), of(-20, 40)},
		{of(17, 18), of(17, 18)},
		{of(540, 600), of(600, 660)},
		{of(40, 50), of(10, 20)},
		{of(0, 100), of(60, 60)},
		{of(0, 100), of(70, 30)},
	} {
		common, found := interval.Intersection(one.a, one.b)
		o.Value([]any{common.Start, common.End, found})
	}
}

func TestExtremes(o *Observer) {
	const least, most = math.MinInt64, math.MaxInt64
	o.Value(overlapping([]pair{
		{of(least, most), of(least, most)},
		{of(least, -1), of(1, most)},
		{of(least, least+1), of(most-1, most)},
		{of(least, 2), of(1, most)},
		{of(least, least+1), of(least, 0)},
		{of(least, least), of(least, most)},
		{of(most, least), of(0, 1)},
	}))
	o.Value(conflicts([]interval.Interval{of(least, 0), of(0, most), of(least, most), of(most, least)}, of(-4, 4)))
	common, found := interval.Intersection(of(least, 12), of(-12, most))
	o.Value([]any{common.Start, common.End, found})
}

func TestConflicts(o *Observer) {
	booked := []interval.Interval{
		of(900, 960), of(600, 660), of(660, 700), of(0, 1440), of(640, 640), of(610, 620), of(600, 660), of(500, 601),
	}
	o.Value(conflicts(booked, of(600, 660)))
	o.Value(conflicts(booked, of(659, 661)))
	o.Value(conflicts(booked, of(640, 640)))
	o.Value(conflicts(booked[:3], of(700, 900)))
	o.Value(conflicts(nil, of(0, 10)))
	o.Value(booked)
}
