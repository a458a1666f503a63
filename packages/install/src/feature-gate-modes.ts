import { type FeatureGateName, featureGates, featureGatesOf, type GatedComponent } from '@flotilla/api-types';

/** How a Klusterlet or ClusterManager sets a gate. */
export interface FeatureGateMode {
  readonly feature: string;
  readonly mode: 'Enable' | 'Disable';
}

/** The gates of a component as OCM writes them: those that are on, and those that are off although they are on by default. */
export const featureGateModes = (
  component: GatedComponent,
  given: Readonly<Partial<Record<FeatureGateName, boolean>>>,
): FeatureGateMode[] =>
  featureGatesOf(component)
    .map((feature) => ({ feature, byDefault: featureGates[feature].default }))
    .map(({ feature, byDefault }) => ({ feature, byDefault, on: given[feature] ?? byDefault }))
    .filter(({ on, byDefault }) => on || byDefault)
    .map(({ feature, on }) => ({ feature, mode: on ? 'Enable' : 'Disable' }));
