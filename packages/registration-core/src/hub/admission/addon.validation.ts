import { Annotation, ApiGroup } from '@flotilla/api-types';
import { semanticEqual } from '@flotilla/kube/meta';
import type { KubeObject } from '@flotilla/schema';
import type { Validation } from './cluster.validation.ts';

/** Of either version of the kind. */
type AddOn = KubeObject & {
  readonly spec?: { readonly configs?: readonly unknown[]; readonly installNamespace?: string };
};

/**
 * The annotations that decide which programs run on the hosting cluster, and where: values of charts, the configurations that renderers
 * believe to be chosen (registries of images are among them), and the namespace.
 */
export const hostedAnnotations = {
  values: Annotation.AddOnValues,
  chosenConfigs: Annotation.ChosenConfigs,
  legacyInstallNamespace: Annotation.LegacyInstallNamespace,
} as const;

const hostingOf = (addon: AddOn | undefined): string =>
  addon?.metadata?.annotations?.[Annotation.HostingClusterName] ?? '';

/** After the name of the user: what those cannot do who may not write works for the hosting cluster. */
export const cannotHost = `" cannot let an add-on run on this cluster (annotation ${Annotation.HostingClusterName})`;

/** All that decides about programs on the hosting cluster. Version v1alpha1 has the namespace in its spec. */
const hostedProgramsOf = (addon: AddOn | undefined): unknown => [
  hostingOf(addon),
  addon?.spec?.configs ?? [],
  addon?.spec?.installNamespace ?? '',
  ...Object.values(hostedAnnotations).map((key) => addon?.metadata?.annotations?.[key] ?? ''),
];

/**
 * An add-on in hosted mode runs as works of its hosting cluster, so who chooses that cluster, or what runs there, must be allowed to
 * write them.
 */
export function validateAddOn(addon: AddOn, old: AddOn | undefined): Validation {
  const hosting = hostingOf(addon);
  if (hosting === '' || semanticEqual(hostedProgramsOf(addon), hostedProgramsOf(old))) return { needs: [] };
  return {
    needs: [
      {
        permission: { group: ApiGroup.Work, resource: 'manifestworks', verb: 'create', namespace: hosting },
        name: hosting,
        what: 'manifestworks.work.open-cluster-management.io',
        why: (user) => `user "${user}${cannotHost}`,
      },
    ],
  };
}
