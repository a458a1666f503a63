import { startFleet } from '@flotilla/addon-sdk/testing';
import { netprobe } from './netprobe.ts';

await using fleet = await startFleet({ addons: [netprobe], clusters: 3 });
await fleet.enable('netprobe');
await fleet.whenAvailable('netprobe');
await fleet.disable('netprobe');
