//! Which driver answers for which model.

use switchboard_models::Models;

use crate::asking::{answer_now, read, script};

fn models() -> Models {
    let script = script("rules = [{ say = 'Hello.' }]");
    Models::new([("lead".to_owned(), script.clone()), ("reviewer".to_owned(), script)])
}

fn refusal(models: &Models, model: &str) -> String {
    let asked = answer_now(models, model, &[read(&["Begin."])], false).unwrap().unwrap_err();
    assert_eq!(models.check(model), Err(asked.clone()), "checking first says the same");
    asked.to_string()
}

#[test]
fn a_script_answers_for_the_model_that_names_it() {
    let answer = answer_now(&models(), "script:lead", &[read(&["Begin."])], false);
    assert_eq!(&*answer.unwrap().unwrap().text, "Hello.");
    assert_eq!(models().check("script:reviewer"), Ok(()));
}

#[test]
fn a_prefix_nobody_answers_for_is_refused_with_those_there_are() {
    let expected = "no driver answers for model `openai:small`; a model is written `script:NAME`";
    assert_eq!(refusal(&models(), "openai:small"), expected);
    assert!(refusal(&models(), "lead").contains("`script:NAME`"));
}

#[test]
fn a_script_that_is_not_there_is_refused_with_those_there_are() {
    let expected = "there is no script `led`; there are `lead`, `reviewer`";
    assert_eq!(refusal(&models(), "script:led"), expected);
    let none = "there is no script `lead`; there is none at all";
    assert_eq!(refusal(&Models::default(), "script:lead"), none);
}
