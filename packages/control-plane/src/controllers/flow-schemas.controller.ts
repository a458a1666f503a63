import { type Controller, defineController, done, on } from '@flotilla/kube';
import { formatTime } from '@flotilla/kube/meta';
import type { KubeObject, ResourceType } from '@flotilla/schema';
import { mergeMap } from 'rxjs';
import { danglingCondition } from '../system-objects/system-objects.ts';
import type { ControllerContext } from './context.ts';

interface FlowSchema extends KubeObject {
  spec?: { readonly priorityLevelConfiguration?: { readonly name?: string } };
  status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

const group = 'flowcontrol.apiserver.k8s.io';
const schemas = `${group}/flowschemas`;
const levels = `${group}/prioritylevelconfigurations`;
const flowSchemas: ResourceType = {
  group,
  version: 'v1',
  kind: 'FlowSchema',
  plural: 'flowschemas',
  namespaced: false,
};
const fieldManager = 'api-priority-and-fairness-config-consumer-v1';

/** Reports flow schemas whose priority level does not exist. */
export function flowSchemaController({ client, storage, feed, clock }: ControllerContext): Controller {
  const concerned = feed.pipe(
    mergeMap(({ storage: kind, change }) => {
      if (kind === schemas) return [change.key];
      // Whether a level exists matters only when it comes or goes.
      if (kind !== levels || change.type === 'MODIFIED') return [];
      return (storage.list(schemas) as readonly FlowSchema[]).flatMap(({ metadata, spec }) =>
        spec?.priorityLevelConfiguration?.name === change.key ? [metadata?.name ?? ''] : [],
      );
    }),
  );
  return defineController({
    name: 'flow-schemas',
    watches: [on(concerned)],
    async reconcile(name) {
      const schema: FlowSchema | undefined = storage.get(schemas, name);
      if (!schema) return done;
      const level = schema.spec?.priorityLevelConfiguration?.name ?? '';
      const condition = danglingCondition(level, storage.get(levels, level) !== undefined);
      const present = schema.status?.conditions?.find(({ type }) => type === condition.type);
      if (present?.status === condition.status) return done;
      const conditions = [{ ...condition, lastTransitionTime: formatTime(clock.now()) }];
      const status: FlowSchema = { metadata: { name }, status: { conditions } };
      await client.resource<FlowSchema>(flowSchemas).status.apply(status, { fieldManager, force: true });
      return done;
    },
  });
}
