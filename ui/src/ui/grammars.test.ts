import { createLowlight } from "lowlight";
import { expect, test } from "vitest";
import { GRAMMARS, grammarsOf } from "./grammars";

test.each(Object.keys(GRAMMARS))("%s goes by the names that its grammar gives it", async (name) => {
  const grammars = await grammarsOf(name);
  const { aliases = [], parts = [] } = GRAMMARS[name] ?? {};
  expect(Object.keys(grammars)).toEqual([name, ...parts]);
  const lowlight = createLowlight({ [name]: grammars[name]! });
  expect(aliases.filter((alias) => !lowlight.registered(alias))).toEqual([]);
});

test("a language is found by its other names, however they are written", async () => {
  expect(Object.keys(await grammarsOf("Py"))).toEqual(["python"]);
  expect(Object.keys(await grammarsOf("c++"))).toEqual(["cpp"]);
  expect(await grammarsOf("klingon")).toEqual({});
  expect(await grammarsOf("constructor")).toEqual({});
});
