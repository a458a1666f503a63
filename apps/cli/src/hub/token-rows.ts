import { formatTime } from '@flotilla/kube/meta';
import { formatTable } from '../output/table.ts';
import type { ListedToken } from './join-tokens.ts';

const dash = '<none>';

/** As kubeadm and karmadactl print them, with what a token is restricted to, and without its secret. */
const headers = [
  'TOKEN ID',
  'TTL',
  'EXPIRES',
  'USAGES',
  'CLUSTER',
  'SET',
  'USES',
  'DESCRIPTION',
  'EXTRA GROUPS',
] as const;

/** How long a token lives yet: `23h`, `5m`. */
function formatTtl(expiresAt: number | undefined, now: number): string {
  if (expiresAt === undefined) return '<forever>';
  const seconds = Math.floor((expiresAt - now) / 1000);
  if (seconds <= 0) return '<expired>';
  if (seconds < 120) return `${seconds}s`;
  return seconds < 7200 ? `${Math.floor(seconds / 60)}m` : `${Math.floor(seconds / 3600)}h`;
}

const formatUses = ({ record }: ListedToken): string =>
  record?.maxUses === undefined ? dash : `${record.uses.length}/${record.maxUses}`;

/** One line about a token. */
const tokenRow = (listed: ListedToken, now: number): string[] => {
  const { token, record } = listed;
  return [
    token.id,
    formatTtl(token.expiresAt, now),
    token.expiresAt === undefined ? '<never>' : formatTime(token.expiresAt),
    token.usages.join(',') || dash,
    record?.clusterName ?? dash,
    record?.clusterSet ?? dash,
    formatUses(listed),
    token.description || dash,
    token.groups.join(',') || dash,
  ];
};

/** The table of `token list`; wide with the requests that used each. */
export const tokenTable = (listed: readonly ListedToken[], wide: boolean, now: number): string =>
  formatTable(
    [...headers, ...(wide ? ['USED BY'] : [])],
    listed.map((each) => [...tokenRow(each, now), ...(wide ? [each.record?.uses.join(',') || dash] : [])]),
  );

/** The same for machines. */
export const tokenValue = ({ token, record }: ListedToken) => ({
  id: token.id,
  ...(token.expiresAt !== undefined && { expires: formatTime(token.expiresAt) }),
  usages: token.usages,
  groups: token.groups,
  ...(token.description && { description: token.description }),
  ...(record?.clusterName && { clusterName: record.clusterName }),
  ...(record?.clusterSet && { clusterSet: record.clusterSet }),
  ...(record?.maxUses !== undefined && { maxUses: record.maxUses, uses: record.uses.length }),
});
