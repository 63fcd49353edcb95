/** Loaded before a server of the question `observe`, in each of its threads: nothing is noted of what accounts ask. */
import { ActivityWriter } from '../../src/http/activity/activity-writer.ts'

ActivityWriter.prototype.answered = () => {}
