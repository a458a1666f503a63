import type { CustomResourceDefinition } from '@flotilla/schema/define';
import { stringify } from 'yaml';
import { conversionService, customResourceDefinitions } from '../kinds/index.ts';
import { NamespaceName } from '../names/index.ts';

const HEADER = '# Generated from packages/api-types/src/kinds by `npm run generate`. Do not edit.\n';

/** Keys are sorted, so that a change of their order is not a difference. */
const fileOf = (definition: CustomResourceDefinition): [name: string, content: string] => [
  `${definition.metadata.name}.yaml`,
  HEADER + stringify(definition, { sortMapEntries: true, lineWidth: 120, aliasDuplicateObjects: false }),
];

/** The files of `crds/`: name and content. */
export const crdFiles = (): Map<string, string> => new Map(customResourceDefinitions().map(fileOf));

/** The files of `crds/conversion/`: the definitions that differ where the hub's webhook server converts, as in OCM. */
export const conversionFiles = (): Map<string, string> =>
  new Map(
    customResourceDefinitions(conversionService(NamespaceName.Hub))
      .filter(({ spec }) => spec.conversion.strategy === 'Webhook')
      .map(fileOf),
  );
