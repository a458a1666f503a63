import { type CustomResourceDefinition, conversionService, customResourceDefinitions } from '@flotilla/api-types/kinds';

/** Definitions that serve every version without a webhook between them: what is judged is each version by itself. */
export const everyVersion = (): CustomResourceDefinition[] =>
  customResourceDefinitions(conversionService('nowhere')).map((definition) => ({
    ...definition,
    spec: { ...definition.spec, conversion: { strategy: 'None' } },
  }));
