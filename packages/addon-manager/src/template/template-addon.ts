import {
  type AddonDefinition,
  clusterRegistries,
  config,
  defineAddon,
  health,
  overrideImage,
  type RenderContext,
  type SignRequest,
} from '@flotilla/addon-sdk';
import {
  type AddOnTemplate,
  Annotation,
  addOnTemplates,
  type ManagedCluster,
  ManagedClusterCondition,
  type ManifestConfigOption,
} from '@flotilla/api-types';
import { findCondition, type Logger } from '@flotilla/kube';
import { manifestConfigsOf } from './manifest-configs.ts';
import { type SigningCa, templateRegistrations } from './registrations.ts';
import { renderTemplate, type TemplateInput, templateNamespace } from './render-template.ts';

/** What template add-ons share. */
export interface TemplateAddonOptions {
  /** Signs certificates of custom signers. */
  readonly signWith: (ca: SigningCa) => SignRequest;
  readonly log: Logger;
}

/** Of one add-on, until the hub restarts. */
const maxWarnings = 100;

const configs = { template: config.of(addOnTemplates), deployment: config.deployment() };

type TemplateContext = Pick<RenderContext<typeof configs>, 'addon' | 'cluster' | 'configs'>;

/** An add-on that consists of a template: an add-on of the SDK whose manifests are those of the AddOnTemplate that a cluster references. */
export function templateAddon(name: string, { signWith, log }: TemplateAddonOptions): AddonDefinition {
  const warned = new Set<string>();
  const inputOf = (context: TemplateContext): TemplateInput => {
    const { template, deployment } = context.configs;
    if (!template) {
      const { namespace } = context.addon.metadata ?? {};
      throw new Error(`addon ${namespace}/${name} template not found in status`);
    }
    const { addonName } = template.spec;
    if (addonName !== name && !warned.has(`${template.metadata?.name}`)) {
      warned.add(`${template.metadata?.name}`);
      log.warn('a template is for another add-on', { addon: name, template: template.metadata?.name, addonName });
    }
    return {
      addonName: name,
      clusterName: context.cluster.metadata?.name ?? '',
      template: template.spec,
      ...(deployment && { deployment: deployment.spec }),
    };
  };
  const warnOfVariable = ({ configs: { template } }: TemplateContext, variable: string): void => {
    const { name: templateName, generation } = template?.metadata ?? {};
    const key = JSON.stringify([templateName, generation, variable]);
    // Texts of others, such as alerts, have braces too: a template may have thousands.
    if (warned.has(key) || warned.size >= maxWarnings) return;
    warned.add(key);
    log.warn(`a template uses {{${variable}}}, which no variable has as its name: it is replaced by nothing`, {
      addon: name,
      template: templateName,
    });
  };
  const render = (context: RenderContext<typeof configs>) =>
    renderTemplate(inputOf(context), {
      ...context.podDefaults(),
      image: imageOf(context),
      resources: (containerId) => context.resources(containerId),
      proxyEnv: context.proxyEnv(),
      onUnknownVariable: (variable) => warnOfVariable(context, variable),
    });
  return defineAddon({
    name,
    configs,
    templateMode: true,
    configCheckEnabled: true,
    health: health.workloads(),
    render,
    clusterFilter: isRenderedAgain,
    installNamespace: (context) => (context.configs.template ? templateNamespace(inputOf(context)) : undefined),
    // Those of the template that the cluster has; OCM takes those of the default template for all clusters.
    manifestConfigs: (context) => templateManifestConfigs(inputOf(context)),
    registration: ({ configs: { template } }) => {
      const registrations = template?.spec.registration ?? [];
      if (template && registrations.length > 0) requireOwn(template, name);
      return templateRegistrations({ addonName: name, registrations, signWith });
    },
  });
}

/**
 * Which template a cluster has is in the status of its add-on, and its agent may write that. The rights that a template gives are
 * therefore only for the add-on that it names.
 */
function requireOwn({ metadata, spec }: AddOnTemplate, name: string): void {
  if (spec.addonName === name) return;
  throw new TypeError(
    `AddOnTemplate ${metadata?.name}: spec.addonName is ${JSON.stringify(spec.addonName)}; ` +
      `it must be ${JSON.stringify(name)} for add-on ${name} to have the registrations of this template`,
  );
}

/** What the template says about its manifests, by the names and namespaces that these get. */
function templateManifestConfigs(input: TemplateInput): ManifestConfigOption[] {
  const { agentSpec } = input.template;
  const rendered = renderTemplate(input, { proxyEnv: [], image: (reference) => reference, resources: () => undefined });
  return manifestConfigsOf(agentSpec.manifestConfigs ?? [], rendered, input.deployment?.agentInstallNamespace ?? '');
}

/** The mirrors of the deployment config take the place of those of the cluster, also for images that they do not name. */
function imageOf({ cluster, configs: { deployment } }: TemplateContext): (reference: string) => string {
  const own = deployment?.spec.registries ?? [];
  const registries = own.length > 0 ? own : clusterRegistries(cluster);
  return (reference) => overrideImage(reference, registries);
}

/** Mirrors of images, and whether there is anybody to render for, are read from the cluster. */
const isRenderedAgain = (previous: ManagedCluster, current: ManagedCluster): boolean =>
  registriesOf(previous) !== registriesOf(current) || availabilityOf(previous) !== availabilityOf(current);

const registriesOf = ({ metadata }: ManagedCluster) => metadata?.annotations?.[Annotation.ImageRegistries];
const availabilityOf = ({ status }: ManagedCluster) =>
  findCondition(status?.conditions, ManagedClusterCondition.Available)?.status;
