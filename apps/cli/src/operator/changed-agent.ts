import type { FeatureGateName, Klusterlet, KlusterletSpec } from '@flotilla/api-types';
import { type KlusterletValues, klusterlet } from '@flotilla/install';
import { mergeValues } from '@flotilla/install/chart';
import { withGates } from '../options/feature-gates.ts';

type Registration = NonNullable<KlusterletSpec['registrationConfiguration']>;

/** What a repeated `join` is asked to change in a Klusterlet. What is absent stays as it is. */
export interface AgentChanges {
  readonly mode: KlusterletValues['mode'];
  readonly featureGates: Readonly<Partial<Record<FeatureGateName, boolean>>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly registration?: Partial<Registration>;
  /** Fields of the spec, from other flags. */
  readonly fields?: Partial<KlusterletSpec>;
  /** Fields of the spec, from a file of values; these win. */
  readonly values?: Readonly<Record<string, unknown>>;
}

/** A Klusterlet with these changes. */
export function changedAgent(found: Klusterlet, changes: AgentChanges): Klusterlet {
  const { spec = {} as KlusterletSpec } = found;
  const { mode, featureGates: gates, annotations, registration = {}, fields = {}, values = {} } = changes;
  const gated = withGates('spoke-registration', spec.registrationConfiguration, gates);
  const clusterAnnotations = annotations && {
    ...spec.registrationConfiguration?.clusterAnnotations,
    ...klusterlet({ clusterName: '', mode, annotations }).spec?.registrationConfiguration?.clusterAnnotations,
  };
  const changed = { ...gated, ...registration, ...(clusterAnnotations && { clusterAnnotations }) };
  const work = withGates('spoke-work', spec.workConfiguration, gates);
  return {
    ...found,
    spec: mergeValues<object>(
      {
        ...spec,
        ...fields,
        ...(spec.deployOption?.mode !== mode && { deployOption: { ...spec.deployOption, mode } }),
        ...(Object.keys(changed).length > 0 && { registrationConfiguration: changed }),
        ...(work && { workConfiguration: work }),
      },
      values,
    ) as KlusterletSpec,
  };
}
