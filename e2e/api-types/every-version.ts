import { conversionService, customResourceDefinitions } from '@flotilla/api-types/kinds';
import type { CustomResourceDefinition } from '@flotilla/schema/define';

/** Definitions that serve every version without a webhook between them: each version is validated by itself. */
export const everyVersion = (): CustomResourceDefinition[] =>
  customResourceDefinitions(conversionService('nowhere')).map((definition) => ({
    ...definition,
    spec: { ...definition.spec, conversion: { strategy: 'None' } },
  }));
