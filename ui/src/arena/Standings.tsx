import { useQuery } from "@tanstack/react-query";
import { arenaQuery, type ArenaStanding } from "../api/arena";
import { count } from "../format";
import { type Column, DataTable } from "../ui/DataTable";
import { ModelName } from "../ui/ModelName";
import { Notice } from "../ui/Notice";
import { Section } from "../ui/Page";

/** The models by all votes so far. */
export function Standings() {
  const { data, error } = useQuery(arenaQuery);
  if (error) return <Notice>{error.message}</Notice>;
  if (!data || data.leaderboard.length === 0) return null;
  return (
    <Section
      title="Standings"
      note={`${count(data.total_votes)} ${data.total_votes === 1 ? "vote" : "votes"}`}
    >
      <DataTable caption="Standings" columns={COLUMNS} rows={data.leaderboard} keyOf={({ model }) => model} />
    </Section>
  );
}

const COLUMNS: readonly Column<ArenaStanding>[] = [
  { name: "Rank", isNumber: true, cell: ({ rank }) => rank },
  { name: "Model", isHeading: true, cell: ({ model }) => <ModelName model={model} /> },
  { name: "Elo", isNumber: true, cell: ({ elo }) => count(elo) },
  {
    name: "Bradley–Terry, 95 %",
    isNumber: true,
    cell: ({ rating }) =>
      rating ? `${count(rating.value)} [${count(rating.low)}, ${count(rating.high)}]` : "not enough votes",
  },
  { name: "Votes", isNumber: true, cell: ({ votes }) => count(votes) },
  { name: "Won", isNumber: true, isSoft: true, cell: ({ wins }) => count(wins) },
  { name: "Lost", isNumber: true, isSoft: true, cell: ({ losses }) => count(losses) },
  { name: "Tied", isNumber: true, isSoft: true, cell: ({ ties }) => count(ties) },
  { name: "Both bad", isNumber: true, isSoft: true, cell: ({ both_bad }) => count(both_bad) },
];
