import { createInformers, createKubeClient, defaultAccess, realClock } from '@flotilla/kube';
import { configMaps } from '@flotilla/kube/kinds';

const access = defaultAccess({ clock: realClock, env: process.env });
const client = createKubeClient({ access });
const informer = createInformers({ client }).resource(configMaps);
await informer.whenSynced();
console.log(`synced ${informer.size}`);
