/** How far a feature has come: alpha may vanish, beta is complete, GA stays. */
export type FeatureStage = 'alpha' | 'beta' | 'ga';

/** One feature that can be switched. */
export interface FeatureGate {
  default: boolean;
  stage: FeatureStage;
  description: string;
  /** The default cannot be changed any more; the gate goes away in a later version. */
  locked?: true;
}

/** The gates that a process knows, by name. */
export type FeatureGates = Readonly<Record<string, FeatureGate>>;
