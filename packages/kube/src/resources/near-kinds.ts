import { editDistance } from '../errors/edit-distance.ts';
import { apiVersionOf } from '../meta/api-version.ts';
import type { ApiResource } from './api-resource.ts';

/** What the asker may have meant: the same kind in other versions or groups first, then kinds spelled almost alike. */
export function nearKinds(apiVersion: string, kind: string, resources: readonly ApiResource[]): string[] {
  const wanted = kind.toLowerCase();
  const [group] = apiVersion.includes('/') ? apiVersion.split('/') : [''];
  const ranked: { rank: number; name: string }[] = [];
  for (const resource of resources) {
    const distance = editDistance(wanted, resource.kind.toLowerCase());
    const isPluralOrShort = resource.plural === wanted || resource.shortNames.includes(wanted);
    if (distance > Math.min(2, Math.floor(wanted.length / 3)) && !isPluralOrShort) continue;
    const rank = (isPluralOrShort ? 1 : distance) * 2 + (resource.group === group ? 0 : 1);
    ranked.push({ rank, name: `${apiVersionOf(resource)} ${resource.kind}` });
  }
  ranked.sort((a, b) => a.rank - b.rank);
  return [...new Set(ranked.map(({ name }) => name))].slice(0, 3);
}
