import { sqlitePlace } from './testing/place.ts';
import { describeStore } from './testing/store-suite.ts';

describeStore('SQLite', sqlitePlace);
