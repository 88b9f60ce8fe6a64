// An OpenID provider on loopback, with its own pages for login and consent; its options come as a file.
import { readFileSync } from "node:fs";
import Provider from "oidc-provider";

const { issuer, clients, keys, published } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const provider = new Provider(issuer, {
  clients,
  jwks: { keys },
  cookies: { keys: ["a test value"] },
  claims: { openid: ["sub"], profile: ["name"], email: ["email"] },
  findAccount: (_, id) => ({
    accountId: id,
    claims: () => ({ sub: id, name: `${id} of the test`, email: `${id}@example.org` }),
  }),
});
if (published) {
  // A list of keys without the one that signs.
  provider.use(async (context, next) => {
    await next();
    if (context.path === "/jwks") context.body = { keys: published };
  });
}
provider.listen(new URL(issuer).port, "127.0.0.1", () => console.log("listening"));
