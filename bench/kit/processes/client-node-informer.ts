import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';

const config = new KubeConfig();
config.loadFromDefault();
const api = config.makeApiClient(CoreV1Api);
let count = 0;
const informer = makeInformer(config, '/api/v1/configmaps', () => api.listConfigMapForAllNamespaces());
informer.on('add', () => count++);
await informer.start();
console.log(`synced ${count}`);
