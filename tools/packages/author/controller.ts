import {
  addFinalizer,
  applyConditions,
  createEventRecorder,
  createInformers,
  defineController,
  done,
  isDeleting,
  type KubeClient,
  on,
  ownerReferenceTo,
  owns,
  removeFinalizer,
  runControllers,
} from '@flotilla/kube';
import { configMaps, events } from '@flotilla/kube/kinds';
import { type Widget, widgets } from './widget.ts';

const finalizer = 'example.com/widget';
const ready = { type: 'Ready', status: 'True', reason: 'Made', message: 'the config map is there' } as const;

/** Keeps a config map for each widget until the signal aborts. */
export async function runWidgets(client: KubeClient, signal: AbortSignal): Promise<void> {
  using informers = createInformers({ client });
  const [all, maps] = [informers.resource(widgets), informers.resource(configMaps)];
  await using recorder = createEventRecorder({ events: client.resource(events), reportingController: 'widgets' });
  const makeConfigMap = async (widget: Widget) => {
    const { name = '', namespace = '' } = widget.metadata;
    const ownerReferences = [ownerReferenceTo(widgets, widget, { controller: true })];
    const data = { size: String(widget.spec.size) };
    if (maps.get(`${namespace}/${name}`)?.data?.size === data.size) return;
    await maps.apply({ metadata: { name, namespace, ownerReferences }, data });
    recorder.record(widget, { reason: 'Made', note: `the config map has size ${data.size}` });
  };
  const controller = defineController({
    name: 'widget',
    watches: [on(all), owns(maps, widgets)],
    async reconcile(key) {
      const widget = all.get(key);
      if (widget && isDeleting(widget)) await removeFinalizer(all, widget, finalizer);
      else if (widget && (await addFinalizer(all, widget, finalizer))) {
        await makeConfigMap(widget);
        await applyConditions(all, widget, [ready]);
      }
      return done;
    },
  });
  await runControllers([controller], { signal });
}
