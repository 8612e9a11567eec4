"""The seven pages, in their order."""

from typing import Final

from refloat.model.recovery import Page
from refloat_tui.screens.wizard.pages.brief import BriefPage
from refloat_tui.screens.wizard.pages.checkout import CheckoutPage
from refloat_tui.screens.wizard.pages.goal import GoalPage
from refloat_tui.screens.wizard.pages.happened import HappenedPage
from refloat_tui.screens.wizard.pages.process import ProcessPage
from refloat_tui.screens.wizard.pages.triage import TriagePage
from refloat_tui.screens.wizard.pages.uncertain import UncertainPage
from refloat_tui.screens.wizard.pages.view import PageView

VIEWS: Final[dict[Page, PageView]] = {
    view.page: view
    for view in (
        ProcessPage(),
        HappenedPage(),
        CheckoutPage(),
        TriagePage(),
        UncertainPage(),
        GoalPage(),
        BriefPage(),
    )
}
