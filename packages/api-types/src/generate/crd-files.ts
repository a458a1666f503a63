import { stringify } from 'yaml';
import { customResourceDefinitions } from '../kinds/index.ts';

const HEADER = '# Generated from packages/api-types/src/kinds by `npm run generate`. Do not edit.\n';

/** The files of `crds/`: name and content. Keys are sorted, so that a moved field does not show as a change. */
export const crdFiles = (): Map<string, string> =>
  new Map(
    customResourceDefinitions().map((definition) => [
      `${definition.metadata.name}.yaml`,
      HEADER + stringify(definition, { sortMapEntries: true, lineWidth: 120, aliasDuplicateObjects: false }),
    ]),
  );
