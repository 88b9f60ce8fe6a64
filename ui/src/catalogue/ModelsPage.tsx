import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { knownModelsQuery, modelsQuery, servedModelsQuery } from "../api/queries";
import { count } from "../format";
import { Badge } from "../ui/Badge";
import { useDebounced } from "../ui/debounced";
import { EmptyState } from "../ui/EmptyState";
import { Notice } from "../ui/Notice";
import { PageHeader, Section } from "../ui/Page";
import { SearchField } from "../ui/SearchField";
import styles from "./ModelsPage.module.css";
import { ModelTable } from "./ModelTable";
import { SyncButton } from "./SyncButton";
import type { ModelsSearch } from "./search";

const route = getRouteApi("/models");

type Provider = Schemas["Provider"];

export function ModelsPage() {
  const search = route.useSearch();
  const { data, error } = useQuery(modelsQuery);
  const provider = data?.providers.find(({ prefix }) => prefix === search.provider);
  return (
    <>
      <PageHeader
        title="Models"
        lead="Any model behind an OpenAI-compatible endpoint or the API of Anthropic or Google can be tested. Its name is the provider’s prefix followed by the endpoint’s name for it."
      />
      {error ? <Notice>{error.message}</Notice> : null}
      {provider?.is_ready ? <Served provider={provider} search={search} /> : null}
      {provider && !provider.is_ready ? <NoKey provider={provider} /> : null}
      {provider?.is_ready ? null : <Known provider={provider} search={search} />}
      <Section title="Providers" note="choose one to list the models of its endpoint">
        <ul className={styles.providers}>
          {data?.providers.map((one) => (
            <li key={one.prefix}>
              <Link
                to="/models"
                search={one === provider ? {} : { provider: one.prefix }}
                className={styles.provider}
                activeProps={{}}
                aria-current={one === provider ? "true" : undefined}
              >
                <strong>{one.prefix}</strong>
                <Badge tone={one.is_ready ? "good" : "plain"}>{keyState(one)}</Badge>
                <span>{one.base_url}</span>
              </Link>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function keyState({ is_ready, has_key }: Provider): string {
  if (!is_ready) return "no key";
  return has_key ? "key set" : "needs no key";
}

function NoKey({ provider }: { provider: Provider }) {
  return (
    <EmptyState title={`${provider.prefix} has no key`}>
      <p>
        Set <code>{provider.key_variable}</code> where Assay runs, in the environment or in its{" "}
        <code>.env</code> file, and start it again. Keys are never sent to this page.
      </p>
    </EmptyState>
  );
}

/** The built-in models, and what the registry has of the providers. */
function Known({ provider, search }: { provider: Provider | undefined; search: ModelsSearch }) {
  const asked = useDebounced(search.q ?? "", 250);
  const name = provider?.prefix.replace(/\/$/, "");
  const { data, error } = useQuery(
    knownModelsQuery({ search: asked, provider: name, with_inactive: search.inactive === "yes" }),
  );
  return (
    <Section
      title={provider ? `Known models of ${provider.prefix}` : "Known models"}
      note={data ? count(data.total) : undefined}
    >
      <Filter search={search} hasInactive />
      {error ? <Notice>{error.message}</Notice> : null}
      {data ? <ModelTable page={data} isFiltered={asked !== ""} /> : null}
      <SyncButton provider={name} />
    </Section>
  );
}

/** What an endpoint lists at this moment. */
function Served({ provider, search }: { provider: Provider; search: ModelsSearch }) {
  const asked = useDebounced(search.q ?? "", 250);
  const { data, error, isPending } = useQuery(servedModelsQuery(provider.prefix, asked));
  return (
    <Section title={`Models of ${provider.prefix}`} note={data ? count(data.total) : undefined}>
      <Filter search={search} />
      {isPending ? <p role="status">Asking {provider.base_url} …</p> : null}
      {error ? <Notice tone="gold">{error.message}</Notice> : null}
      {data ? <ModelTable page={data} isFiltered={asked !== ""} /> : null}
      <p className={styles.more}>
        <Link to="/models" className={styles.link}>
          All known models
        </Link>
      </p>
    </Section>
  );
}

function Filter({ search, hasInactive = false }: { search: ModelsSearch; hasInactive?: boolean }) {
  const navigate = route.useNavigate();
  return (
    <search className={styles.filters}>
      <SearchField
        label="Filter models"
        value={search.q ?? ""}
        onChange={(q) =>
          void navigate({ search: ({ q: _q, ...before }) => (q ? { ...before, q } : before), replace: true })
        }
      />
      {hasInactive ? (
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={search.inactive === "yes"}
            onChange={({ target }) =>
              void navigate({
                search: ({ inactive: _before, ...rest }) =>
                  target.checked ? { ...rest, inactive: "yes" } : rest,
                replace: true,
              })
            }
          />
          Include models that are no longer offered
        </label>
      ) : null}
    </search>
  );
}
