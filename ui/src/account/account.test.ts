import { expect, test } from "vitest";
import { signInAddress } from "./account";
import { signInFailure } from "./SignInFailure";

test("signing in leads back to the page it was asked from", () => {
  const address = signInAddress({ pathname: "/ui/runs", search: "?sign_in=failed&page=2" });
  expect(new URL(address, "http://h").searchParams.get("return_to")).toBe("/ui/runs?page=2");
  expect(signInAddress({ pathname: "/ui/", search: "" })).toBe("/api/auth/login?return_to=%2Fui%2F");
});

test("a reader is told which kind of failure it was, in words that are not taken from the address", () => {
  expect(signInFailure("?page=2")).toBeNull();
  expect(signInFailure("?sign_in=unreachable")).toContain("does not answer");
  expect(signInFailure("?sign_in=untrusted")).toContain("could not be verified");
  expect(signInFailure("?sign_in=failed")).toBe(signInFailure("?sign_in=anything"));
});
