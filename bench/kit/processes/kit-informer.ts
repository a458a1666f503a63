import { configMaps, createInformers, createKubeClient, defaultAccess, realClock } from '@flotilla/kube';

const access = defaultAccess({ clock: realClock, env: process.env });
const client = createKubeClient({ access });
const informer = createInformers({ client }).resource(configMaps);
await informer.whenSynced();
console.log(`synced ${informer.size}`);
