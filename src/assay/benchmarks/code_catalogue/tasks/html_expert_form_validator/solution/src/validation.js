import { INTERESTS } from "./interests.js";
import { MESSAGES } from "./messages.js";

const LEAST_LENGTH = 10;
const LEAST_KINDS = 3;
const LEAST_DIFFERENT = 6;
const SHORTEST_COMPARED = 4;
const GREATEST_LIKE_DISTANCE = 3;
const LONGEST_NAME = 80;
const LONGEST_EMAIL = 254;
const MOST_INTERESTS = 3;
const KINDS = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{Ll}\p{Lu}\p{Nd}]/u];
const LOCAL_PART = /^(?=.{1,64}$)[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*$/;
const LABEL = /^(?!-)[A-Za-z0-9-]{1,63}(?<!-)$/;
const LAST_LABEL = /^[A-Za-z]{2,63}$/;

/** The least number of characters to insert, delete or replace to make one string of the other. */
export function levenshtein(a, b) {
  const from = [...a];
  const to = [...b];
  let distances = Array.from({ length: to.length + 1 }, (_value, index) => index);
  for (const [row, character] of from.entries()) {
    const next = [row + 1];
    for (const [column, other] of to.entries()) {
      const replaced = distances[column] + (character === other ? 0 : 1);
      next.push(Math.min(replaced, distances[column + 1] + 1, next[column] + 1));
    }
    distances = next;
  }
  return distances[to.length];
}

/** What is weak about a password, and a score from 0 to 4. */
export function passwordStrength(password, { name = "", email = "" } = {}) {
  const characters = [...password];
  const words = name.split(/\s+/);
  const problems = [
    characters.length < LEAST_LENGTH && "short",
    KINDS.filter((kind) => kind.test(password)).length < LEAST_KINDS && "few-kinds",
    new Set(characters).size < LEAST_DIFFERENT && "repetitive",
    [words.join(""), ...words].some((text) => isLike(password, text)) && "like-name",
    [email, localPart(email)].some((text) => isLike(password, text)) && "like-email",
  ].filter(Boolean);
  return { score: Math.max(0, 4 - problems.length), problems };
}

function isLike(password, text) {
  if ([...text].length < SHORTEST_COMPARED) return false;
  const [one, other] = [password.toLowerCase(), text.toLowerCase()];
  if (one.includes(other)) return true;
  // The lengths alone make a difference; comparing long texts is slow.
  const difference = Math.abs([...one].length - [...other].length);
  return difference <= GREATEST_LIKE_DISTANCE && levenshtein(one, other) <= GREATEST_LIKE_DISTANCE;
}

function localPart(email) {
  const at = email.lastIndexOf("@");
  return at < 0 ? email : email.slice(0, at);
}

/** The values of a submitted form in their normal form, and what is wrong with them. */
export function validateSignup(input) {
  const name = textOf(input?.name).trim().replace(/\s+/g, " ");
  const email = normalEmail(textOf(input?.email));
  const password = textOf(input?.password);
  const chosen = chosenInterests(input?.interests);
  const interests = INTERESTS.map(({ value }) => value).filter((value) => chosen.includes(value));
  const codes = {
    name: nameError(name),
    email: emailError(email),
    password: passwordError(password, { name, email }),
    interests: interestsError(chosen, interests),
  };
  const errors = Object.entries(codes)
    .filter(([, code]) => code !== undefined)
    .map(([field, code]) => ({ field, code, message: MESSAGES[code] }));
  return { values: { name, email, password, interests }, errors };
}

function textOf(value) {
  return typeof value === "string" ? value : "";
}

function normalEmail(text) {
  const email = text.trim();
  const at = email.lastIndexOf("@");
  return at < 0 ? email : email.slice(0, at) + email.slice(at).toLowerCase();
}

function chosenInterests(value) {
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value : [];
}

function nameError(name) {
  if (name === "") return "name-missing";
  return [...name].length > LONGEST_NAME ? "name-long" : undefined;
}

function emailError(email) {
  if (email === "") return "email-missing";
  return isEmail(email) ? undefined : "email-invalid";
}

function isEmail(email) {
  const [local, domain, ...others] = email.split("@");
  if (domain === undefined || others.length > 0 || [...email].length > LONGEST_EMAIL) return false;
  const labels = domain.split(".");
  return (
    LOCAL_PART.test(local) &&
    labels.length >= 2 &&
    labels.every((label) => LABEL.test(label)) &&
    LAST_LABEL.test(labels.at(-1))
  );
}

function passwordError(password, owner) {
  if (password === "") return "password-missing";
  const [problem] = passwordStrength(password, owner).problems;
  return problem === undefined ? undefined : `password-${problem}`;
}

function interestsError(chosen, known) {
  if (chosen.some((value) => !known.includes(value))) return "interests-unknown";
  if (known.length === 0) return "interests-missing";
  return known.length > MOST_INTERESTS ? "interests-many" : undefined;
}
