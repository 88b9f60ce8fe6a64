/** What is said about errors, by their code. */
export const MESSAGES = Object.freeze({
  "name-missing": "Enter your name.",
  "name-long": "Shorten the name to 80 characters.",
  "email-missing": "Enter your e-mail address.",
  "email-invalid": "Enter an e-mail address like name@example.org.",
  "password-missing": "Choose a password.",
  "password-short": "Choose a password of at least 10 characters.",
  "password-few-kinds": "Use three of these: small letters, capital letters, digits, other characters.",
  "password-repetitive": "Use at least 6 different characters.",
  "password-like-name": "Choose a password that is not like your name.",
  "password-like-email": "Choose a password that is not like your e-mail address.",
  "interests-unknown": "Choose interests from the list.",
  "interests-missing": "Choose at least one interest.",
  "interests-many": "Choose at most three interests.",
});
