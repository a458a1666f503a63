import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What scripts want to know about a fleet: where the kubeconfigs of its clusters are, by name. */
export async function fleetValue(directory: string) {
  const folder = join(directory, 'kubeconfigs');
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml')).sort();
  const kubeconfigs = Object.fromEntries(names.map((name) => [name.replace(/\.yaml$/, ''), join(folder, name)]));
  return { directory, kubeconfigs };
}
