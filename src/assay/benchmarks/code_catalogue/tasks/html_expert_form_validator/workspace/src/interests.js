/** What subscribers can choose, in the order in which it is shown. */
export const INTERESTS = Object.freeze([
  Object.freeze({ value: "art", label: "Art" }),
  Object.freeze({ value: "food", label: "Food & drink" }),
  Object.freeze({ value: "music", label: "Music" }),
  Object.freeze({ value: "science", label: "Science" }),
  Object.freeze({ value: "travel", label: "Travel" }),
]);
