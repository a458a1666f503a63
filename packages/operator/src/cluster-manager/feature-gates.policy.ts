import {
  type ClusterManagerSpec,
  type FeatureGate,
  type FeatureGateName,
  featureGates,
  featureGatesOf,
  type GatedComponent,
} from '@flotilla/api-types';

/** The lists of gates in a ClusterManager, each with the word that the condition has for it. */
const listsOf = (spec: ClusterManagerSpec) => ({
  Registration: {
    component: 'hub-registration' as const,
    field: 'registrationConfiguration',
    gates: spec.registrationConfiguration?.featureGates ?? [],
  },
  Work: {
    component: 'hub-work' as const,
    field: 'workConfiguration',
    gates: spec.workConfiguration?.featureGates ?? [],
  },
  Addon: {
    component: 'hub-addon' as const,
    field: 'addOnManagerConfiguration',
    gates: spec.addOnManagerConfiguration?.featureGates ?? [],
  },
  Placement: {
    component: 'hub-placement' as const,
    field: 'placementConfiguration',
    gates: spec.placementConfiguration?.featureGates ?? [],
  },
  // OCM's operator does not read this list, so that gates which it does not know trouble it nowhere.
  Server: {
    component: 'hub-server' as const,
    field: 'serverConfiguration',
    gates: spec.serverConfiguration?.featureGates ?? [],
  },
});

export type GateList = keyof ReturnType<typeof listsOf>;

const isKnown = (component: GatedComponent, name: string): name is FeatureGateName =>
  featureGatesOf(component).some((known) => known === name);

/** The `--feature-gates` of a component: one flag for each gate that differs from its default. Unknown ones are left out. */
export const gateFlags = (spec: ClusterManagerSpec, list: GateList): string[] => {
  const { component, gates } = listsOf(spec)[list];
  return gates.flatMap(({ feature, mode }) => {
    const on = mode === 'Enable';
    return isKnown(component, feature) && featureGates[feature].default !== on
      ? [`--feature-gates=${feature}=${on}`]
      : [];
  });
};

/** Whether a gate is on, by the last entry that names it or by its default. */
export const isGateOn = (spec: ClusterManagerSpec, list: GateList, name: FeatureGateName): boolean => {
  const entry = listsOf(spec)[list].gates.findLast(({ feature }: FeatureGate) => feature === name);
  return entry ? entry.mode === 'Enable' : featureGates[name].default;
};

/** The gates that do not exist, by list: `Work: [Foo]`, each with where it stands and what there is instead. */
export function invalidGates(spec: ClusterManagerSpec): string[] {
  return Object.entries(listsOf(spec)).flatMap(([list, { component, field, gates }]) => {
    const unknown = gates.map(({ feature }) => feature).filter((feature) => !isKnown(component, feature));
    if (unknown.length === 0) return [];
    const known = featureGatesOf(component).join(', ');
    return [`${list}: [${unknown.join(', ')}] (spec.${field}.featureGates; the gates there are ${known})`];
  });
}
