//! The small worlds, walked with all other tests. With `--nocapture` each says what it explored.

mod checker;

use std::collections::BTreeSet;

use checker::report::walk;
use checker::worlds::{large, small};

/// A test for each world, by its name.
macro_rules! walks {
    ($($world:ident)*) => {
        const WALKED: &[&str] = &[$(stringify!($world)),*];
        $(
            #[test]
            fn $world() {
                every_law_holds_in(stringify!($world));
            }
        )*
    };
}

walks! {
    a_child_reports_and_is_asked
    a_turn_is_stopped
    a_parked_agent
    an_agent_is_closed
    an_agent_is_brought_back
    an_agent_is_given_up
    a_start_is_stopped
    a_start_fails_or_is_closed
    one_place_for_three
    a_drain
    mail_is_given_up
    mail_expires
    acknowledgements
    a_slow_disk
    a_slow_disk_and_loads_that_last
    guests_of_stays_that_are_over
    a_grandchild
    a_grandchild_is_stopped_from_above
    a_parked_grandchild_goes_with_its_parent
    a_report_brings_its_parent_back
    an_agent_is_deleted
    an_agent_is_deleted_on_its_way_back
    a_name_is_used_again
    a_parent_is_deleted
    a_child_in_the_foreground
    a_child_in_the_foreground_ends_early
    one_place_for_those_who_wait
    two_wait_for_mail
    an_agent_is_asked_to_end
    requests_take_the_place_of_others
    a_plan
    a_plan_and_a_crash
    who_is_to_judge_a_plan_goes_away
}

fn every_law_holds_in(test: &str) {
    let named = small().find(|world| world.name.replace(' ', "_") == test);
    let report = walk(*named.expect("each test is named after a world"), 1);
    print!("{}", report.text);
    assert!(report.passed, "{}", report.text);
}

#[test]
fn every_small_world_is_walked_and_no_two_have_one_name() {
    let walked: BTreeSet<&str> = WALKED.iter().copied().collect();
    for world in small() {
        assert!(walked.contains(&*world.name.replace(' ', "_")), "{} has no test", world.name);
    }
    let all = small().chain(large());
    let all: BTreeSet<&str> = all.map(|world| world.name).collect();
    assert_eq!(all.len(), small().count() + large().count());
}
