import { describeIndexing } from '../../testing/index-suite.ts';
import { sqlitePlace } from '../../testing/place.ts';

describeIndexing('SQLite', sqlitePlace);
