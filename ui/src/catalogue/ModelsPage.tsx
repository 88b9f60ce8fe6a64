import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import type { Schemas } from "../api/client";
import { modelsQuery, servedModelsQuery } from "../api/queries";
import { count, shortCount, usd } from "../format";
import { Badge } from "../ui/Badge";
import { buttonClass } from "../ui/Button";
import { type Column, DataTable } from "../ui/DataTable";
import { useDebounced } from "../ui/debounced";
import { EmptyState } from "../ui/EmptyState";
import { inputClass } from "../ui/Field";
import { Icon } from "../ui/Icon";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { PageHeader, Section } from "../ui/Page";
import styles from "./ModelsPage.module.css";
import type { ModelsSearch } from "./search";

const route = getRouteApi("/models");
const BUILT_IN = "sim/";

type Provider = Schemas["Provider"];
type Model = Schemas["Model"];

export function ModelsPage() {
  const search = route.useSearch();
  const { data, error } = useQuery(modelsQuery);
  const chosen = search.provider ?? BUILT_IN;
  const provider = data?.providers.find(({ prefix }) => prefix === chosen);
  return (
    <>
      <PageHeader
        title="Models"
        lead="Any model behind an OpenAI-compatible endpoint can be tested. Its name is the provider's prefix and the name the endpoint knows it by."
      />
      {error ? <Notice>{error.message}</Notice> : null}
      <Section title="Providers">
        <ul className={styles.providers}>
          <ProviderChoice prefix={BUILT_IN} note="built in" isReady isChosen={chosen === BUILT_IN} />
          {data?.providers.map((one) => (
            <ProviderChoice
              key={one.prefix}
              prefix={one.prefix}
              note={one.base_url}
              isReady={one.is_ready}
              isChosen={chosen === one.prefix}
            />
          ))}
        </ul>
      </Section>
      {provider && !provider.is_ready ? (
        <NoKey provider={provider} />
      ) : (
        <Served prefix={chosen} search={search} />
      )}
    </>
  );
}

interface ChoiceProps {
  prefix: string;
  note: string;
  isReady: boolean;
  isChosen: boolean;
}

function ProviderChoice({ prefix, note, isReady, isChosen }: ChoiceProps) {
  return (
    <li>
      <Link
        to="/models"
        search={{ provider: prefix }}
        className={styles.provider}
        activeProps={{}}
        aria-current={isChosen ? "true" : undefined}
      >
        <strong>{prefix}</strong>
        <Badge tone={isReady ? "plain" : "gold"}>{isReady ? "ready" : "no key"}</Badge>
        <span>{note}</span>
      </Link>
    </li>
  );
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

const COLUMNS: readonly Column<Model>[] = [
  { name: "Model", isHeading: true, cell: ({ id }) => <ModelName model={id} /> },
  {
    name: "Input, per million tokens",
    isNumber: true,
    isSoft: true,
    cell: ({ input_usd_per_million: price }) => (price === null ? "unknown" : usd(price)),
  },
  {
    name: "Output, per million tokens",
    isNumber: true,
    isSoft: true,
    cell: ({ output_usd_per_million: price }) => (price === null ? "unknown" : usd(price)),
  },
  {
    name: "Context",
    isNumber: true,
    isSoft: true,
    cell: ({ context_tokens }) => (context_tokens === null ? "unknown" : shortCount(context_tokens)),
  },
  {
    name: "Actions",
    isNumber: true,
    cell: ({ id }) => (
      <span className={styles.actions}>
        <Link to="/" search={{ model: id }} className={buttonClass({ tone: "quiet", isSmall: true })}>
          Runs
        </Link>
        <Link to="/runs/new" search={{ model: [id] }} className={buttonClass({ isSmall: true })}>
          <Icon name="play" size={12} />
          Run
        </Link>
      </span>
    ),
  },
];

function Served({ prefix, search }: { prefix: string; search: ModelsSearch }) {
  const navigate = route.useNavigate();
  const asked = useDebounced(search.q ?? "", 250);
  const { data, error, isPending } = useQuery(servedModelsQuery(prefix, asked));
  return (
    <Section title={`Models of ${prefix}`} note={data ? count(data.total) : undefined}>
      <input
        type="search"
        className={`${inputClass} ${styles.filter}`}
        aria-label="Filter models"
        placeholder="Filter models"
        value={search.q ?? ""}
        onChange={({ target }) =>
          void navigate({
            search: ({ q: _q, ...before }) => (target.value ? { ...before, q: target.value } : before),
            replace: true,
          })
        }
      />
      {isPending ? <p>Asking the endpoint …</p> : null}
      {error ? <Notice tone="gold">{error.message}</Notice> : null}
      {data && data.models.length > 0 ? (
        <DataTable caption="Models" columns={COLUMNS} rows={data.models} keyOf={({ id }) => id} />
      ) : null}
      {data && data.total > data.models.length ? (
        <p
          className={styles.more}
        >{`The first ${data.models.length} of ${count(data.total)}; filter to see others.`}</p>
      ) : null}
    </Section>
  );
}
