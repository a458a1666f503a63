import type { KindName } from './resources.ts';

/** A process that reads feature gates. */
export type GatedComponent =
  | 'hub-registration'
  | 'hub-work'
  | 'hub-addon'
  | 'hub-placement'
  | 'hub-server'
  | 'spoke-registration'
  | 'spoke-work';

/** One feature gate. */
export interface FeatureGateEntry {
  readonly default: boolean;
  readonly stage: 'Alpha' | 'Beta';
  readonly components: readonly GatedComponent[];
  readonly meaning: string;
  /** A gate of Flotilla: OCM's operator does not know it, and refuses to pass it on. */
  readonly isOwn?: true;
}

/**
 * The feature gates of OCM v1.3 by name, and those of Flotilla.
 * SIGPlacementDecision, which some descriptions list under hub-placement, came after v1.3 and is left out:
 * a v1.3 hub calls it invalid.
 */
export const featureGates = {
  DefaultClusterSet: {
    default: true,
    stage: 'Alpha',
    components: ['hub-registration'],
    meaning: 'Keep the sets default and global, and put clusters without a set into default.',
  },
  V1beta1CSRAPICompatibility: {
    default: false,
    stage: 'Alpha',
    components: ['hub-registration', 'spoke-registration'],
    meaning: 'Use certificates.k8s.io/v1beta1 where the hub serves no v1.',
  },
  ManagedClusterAutoApproval: {
    default: false,
    stage: 'Alpha',
    components: ['hub-registration'],
    meaning: 'Accept clusters and approve first certificates of the configured identities.',
  },
  ResourceCleanup: {
    default: true,
    stage: 'Beta',
    components: ['hub-registration'],
    meaning: 'Delete add-ons and works of a removed cluster in order.',
  },
  ClusterProfile: {
    default: false,
    stage: 'Alpha',
    components: ['hub-registration'],
    meaning: 'Mirror bound clusters as ClusterProfiles.',
  },
  ClusterImporter: {
    default: false,
    stage: 'Alpha',
    components: ['hub-registration'],
    meaning: 'Install the klusterlet on clusters of Cluster API.',
  },
  ClusterClaim: {
    default: true,
    stage: 'Beta',
    components: ['spoke-registration'],
    meaning: 'Report ClusterClaims.',
  },
  ClusterProperty: {
    default: false,
    stage: 'Alpha',
    components: ['spoke-registration'],
    meaning: 'Report ClusterProperties as claims; they win over ClusterClaims of the same name.',
  },
  AddonManagement: {
    default: true,
    stage: 'Beta',
    components: ['spoke-registration', 'hub-addon'],
    meaning: 'On the hub run the add-on manager; on a cluster register add-ons and watch their leases.',
  },
  ClusterProxy: {
    default: false,
    stage: 'Alpha',
    components: ['spoke-registration', 'hub-server'],
    meaning:
      'On the hub serve the APIs of clusters to its users; on a cluster let them reach its API as themselves. Not in OCM.',
    isOwn: true,
  },
  PushAgents: {
    default: false,
    stage: 'Alpha',
    components: ['hub-server'],
    meaning: 'Run the agents of clusters that the hub reaches itself. Not in OCM.',
    isOwn: true,
  },
  MultipleHubs: {
    default: false,
    stage: 'Alpha',
    components: ['spoke-registration'],
    meaning: 'Choose among several bootstrap kubeconfigs and move when a hub is lost.',
  },
  PlacementDebugServer: {
    default: false,
    stage: 'Alpha',
    components: ['hub-placement'],
    meaning: 'Serve simulations of placements.',
  },
  NilExecutorValidating: {
    default: false,
    stage: 'Alpha',
    components: ['hub-work'],
    meaning: 'Check the right to execute works that name no executor.',
  },
  ManifestWorkReplicaSet: {
    default: false,
    stage: 'Alpha',
    components: ['hub-work'],
    meaning: 'Generate works from replica sets.',
  },
  ManifestWorkReplicaSetRevisions: {
    default: false,
    stage: 'Alpha',
    components: ['hub-work'],
    meaning: 'Keep earlier templates of replica sets, to go back to. Not in OCM.',
    isOwn: true,
  },
  CloudEventsDrivers: {
    default: false,
    stage: 'Alpha',
    components: ['hub-work'],
    meaning: 'Let the hub publish works by a CloudEvents driver.',
  },
  CleanUpCompletedManifestWork: {
    default: false,
    stage: 'Alpha',
    components: ['hub-work'],
    meaning: 'Delete completed works after their time to live.',
  },
  ExecutorValidatingCaches: {
    default: false,
    stage: 'Alpha',
    components: ['spoke-work'],
    meaning: 'Remember what executors may do until RBAC changes.',
  },
  RawFeedbackJsonString: {
    default: false,
    stage: 'Alpha',
    components: ['spoke-work'],
    meaning: 'Report feedback values that are lists, maps or floats as raw JSON.',
  },
} as const satisfies Readonly<Record<string, FeatureGateEntry>>;

/** The name of a feature gate. */
export type FeatureGateName = keyof typeof featureGates;

const featureGateNames = Object.keys(featureGates) as FeatureGateName[];

/** Switches for all gates of a stage, as in Kubernetes. */
export const featureGateGroups = { AllAlpha: 'Alpha', AllBeta: 'Beta' } as const;

/** The kind whose spec lists the gates of a component. */
export const gatedKindOf = (component: GatedComponent): KindName =>
  component.startsWith('hub-') ? 'ClusterManager' : 'Klusterlet';

/** The gates that a component knows; any other name is an error there. */
export const featureGatesOf = (component: GatedComponent): readonly FeatureGateName[] =>
  featureGateNames.filter((name) => {
    const components: readonly GatedComponent[] = featureGates[name].components;
    return components.includes(component);
  });

/** Whether a gate is of Flotilla: programs of OCM end at one that they do not know. */
export const isOwnGate = (name: string): boolean =>
  featureGateNames.some((own) => own === name && 'isOwn' in featureGates[own]);

/** Feature gates by their names. */
export type FeatureGateValues = Readonly<Record<string, boolean>>;

/** Each gate of a component with its value, OCM's default where none is given. Gates of other components are left out. */
export const featureGateValues = (component: GatedComponent, given: FeatureGateValues = {}): FeatureGateValues =>
  Object.fromEntries(featureGatesOf(component).map((name) => [name, given[name] ?? featureGates[name].default]));

/** The gates of components as a `--feature-gates` flag offers them: a program of several components has those of all. */
export const featureGateChoices = (
  ...components: readonly GatedComponent[]
): Readonly<Record<string, { default: boolean; stage: 'alpha' | 'beta'; description: string }>> =>
  Object.fromEntries(
    components.flatMap(featureGatesOf).map((name) => {
      const { default: on, stage, meaning } = featureGates[name];
      return [name, { default: on, stage: stage === 'Alpha' ? 'alpha' : 'beta', description: meaning }];
    }),
  );
