import { KubeError } from '@flotilla/kube';
import type { AddonDefinition } from '../definition/addon-definition.ts';
import type { RenderContext } from '../definition/context.ts';
import { containerIdPattern } from '../render/container-resources.ts';
import { deploymentConfigOf } from '../render/render-context.ts';
import type { Values } from './merge-values.ts';

/** Values in the form that charts of OCM add-ons expect them. */
export const helmValues = {
  /** `tolerations`, and `global.nodeSelector`. */
  nodePlacement: (context: RenderContext): Values => {
    const { nodeSelector, tolerations } = context.podDefaults();
    return { ...(tolerations && { tolerations }), ...(nodeSelector && { global: { nodeSelector } }) };
  },
  /** `global.proxyConfig`; nothing without a proxy. */
  proxy: (definition: Pick<AddonDefinition, 'configs'>, context: RenderContext): Values => {
    const { httpProxy, httpsProxy, noProxy, caBundle } =
      deploymentConfigOf(definition, context)?.spec.proxyConfig ?? {};
    if (!httpProxy && !httpsProxy) return {};
    return {
      global: {
        proxyConfig: {
          HTTP_PROXY: httpProxy ?? '',
          HTTPS_PROXY: httpsProxy ?? '',
          NO_PROXY: noProxy ?? '',
          PROXY_CA_BUNDLE: caBundle ?? '',
        },
      },
    };
  },
  /** `global.resourceRequirements`, each with a regular expression for container ids. */
  resourceRequirements: (definition: Pick<AddonDefinition, 'configs'>, context: RenderContext): Values => {
    const { resourceRequirements = [] } = deploymentConfigOf(definition, context)?.spec ?? {};
    if (resourceRequirements.length === 0) return {};
    return {
      global: {
        resourceRequirements: resourceRequirements.map(({ containerID, resources }) => ({
          containerIDRegex: containerIdPattern(containerID),
          resources: { limits: asText(resources.limits), requests: asText(resources.requests) },
          resourcesRaw: resources,
        })),
      },
    };
  },
  /** An image from its mirror, at a key with dots: `global.imageOverrides.agent`. */
  image: (context: RenderContext, key: string, image: string): Values => {
    const parts = key.split('.');
    if (!image || parts.some((part) => part === '')) {
      throw new KubeError('Config', `image ${JSON.stringify(image)} cannot be put at the key ${JSON.stringify(key)}`, {
        hint: 'Give an image and a key such as global.imageOverrides.agent.',
      });
    }
    return parts.reduceRight<unknown>((value, part) => ({ [part]: value }), context.image(image)) as Values;
  },
};

const asText = (quantities: Readonly<Record<string, string | number>> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(quantities).map(([name, quantity]) => [name, String(quantity)]));
