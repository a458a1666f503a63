import type { ManifestWork } from '@flotilla/api-types';

const fields = ['group', 'resource', 'namespace', 'name'] as const;

/** Warns of orphaning rules with an asterisk: it is compared as it is, so that the objects that are meant are deleted with the work. */
export function wildcardsInOrphaningRules({ spec }: ManifestWork): string[] {
  const rules = spec?.deleteOption?.selectivelyOrphans?.orphaningRules ?? [];
  return rules.flatMap((rule, index) =>
    fields.flatMap((field) => {
      const value = rule[field];
      if (!value?.includes('*')) return [];
      return [
        `spec.deleteOption.selectivelyOrphans.orphaningRules[${index}].${field}: "${value}" is not a wildcard, so the rule keeps no object; ` +
          'name each object to keep, or set propagationPolicy to Orphan to keep all',
      ];
    }),
  );
}
