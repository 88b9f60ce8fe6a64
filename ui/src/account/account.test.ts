import { expect, test } from "vitest";
import { signInAddress } from "./account";

test("signing in leads back to the page it was asked from", () => {
  const address = signInAddress({ pathname: "/ui/runs", search: "?sign_in=failed&page=2" });
  expect(new URL(address, "http://h").searchParams.get("return_to")).toBe("/ui/runs?page=2");
  expect(signInAddress({ pathname: "/ui/", search: "" })).toBe("/api/auth/login?return_to=%2Fui%2F");
});
