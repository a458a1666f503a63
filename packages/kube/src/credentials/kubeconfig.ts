import { parse } from 'yaml';
import { KubeError } from '../errors/kube-error.ts';
import { Fields } from './fields.ts';

/** A cluster, user or context of a kubeconfig, with the file it stands in: its relative paths start there. */
export interface KubeconfigEntry {
  name: string;
  file: string;
  fields: Fields;
}

/** One kubeconfig, or several merged. */
export interface Kubeconfig {
  /** The files it was read from, first wins. */
  files: readonly string[];
  currentContext?: string;
  clusters: ReadonlyMap<string, KubeconfigEntry>;
  users: ReadonlyMap<string, KubeconfigEntry>;
  contexts: ReadonlyMap<string, KubeconfigEntry>;
}

/** Reads one kubeconfig. Only its outline is checked here; fields are checked when they are used, so errors can name the context. */
export function parseKubeconfig(text: string, file: string): Kubeconfig {
  let decoded: unknown;
  try {
    decoded = parse(text);
  } catch (cause) {
    throw new KubeError('Config', `${file} is not YAML: ${cause instanceof Error ? firstLine(cause.message) : cause}`, {
      hint: 'Correct the file, or write it anew with `kubectl config`.',
    });
  }
  // An empty file is a kubeconfig without entries, as kubectl has it.
  const root = new Fields(file, decoded ?? {});
  const currentContext = root.text('current-context');
  return {
    files: [file],
    ...(currentContext !== undefined && { currentContext }),
    clusters: entries(root, file, 'clusters', 'cluster'),
    users: entries(root, file, 'users', 'user'),
    contexts: entries(root, file, 'contexts', 'context'),
  };
}

function entries(root: Fields, file: string, list: string, field: string): Map<string, KubeconfigEntry> {
  const found = new Map<string, KubeconfigEntry>();
  for (const item of root.objects(list)) {
    const name = item.required('name');
    // The first of two with one name wins within a file too.
    if (!found.has(name)) found.set(name, { name, file, fields: item.object(field, `${field} "${name}" in ${file}`) });
  }
  return found;
}

/**
 * Merges by the rules of kubectl: the first file that has a cluster, user or context of a name, or a current context, wins;
 * the entry of a later file is ignored as a whole, also where it has fields that the first lacks.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const currentContext = configs.find((config) => config.currentContext !== undefined)?.currentContext;
  return {
    files: configs.flatMap((config) => config.files),
    ...(currentContext !== undefined && { currentContext }),
    clusters: firstWins(configs.map((config) => config.clusters)),
    users: firstWins(configs.map((config) => config.users)),
    contexts: firstWins(configs.map((config) => config.contexts)),
  };
}

const firstWins = <T>(maps: readonly ReadonlyMap<string, T>[]): Map<string, T> =>
  new Map(maps.toReversed().flatMap((map) => [...map]));

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
